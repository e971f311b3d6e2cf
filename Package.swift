// swift-tools-version:5.5
// The assertions of docs/testing.md for packages of Swift Package Manager, compiled from their sources.
// Reports are made by the tool `loupe`, which is installed apart from this and named in LOUPE_TOOL.
import PackageDescription

#if os(Linux)
let ofOtherSystems = [
    "helper/images/images_darwin.c",
    "helper/kernel/kernel_darwin.c",
    "helper/memory/regions_darwin.c",
    "helper/memory/zones_darwin.c",
    "helper/threads/threads_darwin.c",
    "stacks/threads/listing_darwin.c",
    "stacks/threads/registers_darwin.c",
    "stacks/threads/stop_darwin.c",
    "stacks/unwind/own_images_darwin.c",
]
#else
let ofOtherSystems = [
    "helper/images/images_linux.c",
    "helper/kernel/entries_linux.c",
    "helper/kernel/kernel_words_linux.c",
    "helper/kernel/records_linux.c",
    "helper/kernel/servers_linux.c",
    "helper/kernel/system_linux.c",
    "helper/memory/regions_linux.c",
    "helper/memory/untouched_linux.c",
    "helper/threads/threads_linux.c",
    "stacks/threads/listing_linux.c",
    "stacks/threads/proc_task.c",
    "stacks/threads/stop_linux.c",
    "stacks/unwind/own_images_linux.c",
]
#endif

let package = Package(
    name: "Loupe",
    products: [
        .library(name: "LoupeTesting", targets: ["LoupeTesting"]),
    ],
    targets: [
        .target(
            name: "LoupeTesting",
            path: ".",
            // memcpy and the like are for a helper without a C library; here they would be the program's.
            exclude: ofOtherSystems + ["helper/memory/bytes.c"],
            sources: [
                "core",
                "answers",
                "readers/image",
                "readers/linux",
                "stacks/backtraces",
                "stacks/tables",
                "stacks/threads",
                "stacks/unwind",
                "helper",
                "watch",
                "run_tool/run_tool.c",
                "testing/loupe_testing.c", "testing/older_leaks.c",
                "testing/swift_package/no_shipped_rules.c",
            ],
            publicHeadersPath: "testing",
            cSettings: [
                .define("_GNU_SOURCE", to: ""),
                .define("_DARWIN_C_SOURCE", to: ""),
                .headerSearchPath("."),
                .headerSearchPath("core"),
                .headerSearchPath("readers"),
                .headerSearchPath("stacks"),
                .headerSearchPath("helper"),
                .headerSearchPath("watch"),
                .headerSearchPath("run_tool"),
            ],
            linkerSettings: [
                .linkedLibrary("dl", .when(platforms: [.linux])),
                .linkedLibrary("pthread", .when(platforms: [.linux])),
            ]
        ),
    ],
    cLanguageStandard: .c11
)
