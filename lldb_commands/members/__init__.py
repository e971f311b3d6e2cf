"""What engines cannot follow, followed by what lldb knows: C++ objects by debug info.

An engine reads the runtime's structures; of a std::vector it knows no more than its name. It lists
such members as "unread" (docs/protocol.md). Then

    rounds      asks an engine, looks at what it lists, and asks again with the references found
    layouts     a C++ type of debug info -> a plan: where in it objects are owned
    library     the same for the types of libstdc++ and libc++
    ownership   which of them are strong
    destructors what the destructor of a type does to its members
    functors    what a std::function or a std::any holds; the true type of an object with a vtable
    plans       a plan and an address -> the references there; imports no lldb
    containers  parts of plans: vectors, maps, smart pointers; imports no lldb
    memory      words of the process, read by pages
    formatted   collections of an unknown layout, by lldb's formatters
    lldb_crashes  whether this lldb survives the question

Nothing is run in the process, so it works on core files too.
"""
