import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;

import com.sun.management.HotSpotDiagnosticMXBean;

/** Programs that each keep too much in one way, dumped one after the other: MISTAKE.hprof in a folder. */
public class Owners {
    static final int MANY = 30000;

    static class Session {
        final byte[] data = new byte[200];
        final String name;

        Session(int number) {
            name = "session " + number;
        }
    }

    static class Event {
        final long[] measured = new long[12];
    }

    static class Registry {
        static final Map<String, Session> sessions = new HashMap<>();
    }

    static class Bus {
        final List<Event> history = new ArrayList<>();
    }

    static class Chain {
        static final LinkedList<Event> waiting = new LinkedList<>();
    }

    static final Bus bus = new Bus();
    static final List<Session> first = new ArrayList<>();

    static void dump(String folder, String mistake) throws Exception {
        Path file = Path.of(folder, mistake + ".hprof");
        Files.deleteIfExists(file);
        ManagementFactory.newPlatformMXBeanProxy(ManagementFactory.getPlatformMBeanServer(),
            "com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class)
            .dumpHeap(file.toString(), true);
    }

    static void keepOfThread(String folder) throws Exception {
        ThreadLocal<List<Session>> local = new ThreadLocal<>();
        local.set(new ArrayList<>());
        for (int i = 0; i < MANY; i++)
            local.get().add(new Session(i));
        dump(folder, "thread");
        local.remove();
    }

    static void keepOnStack(String folder) throws Exception {
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < MANY; i++)
            sessions.add(new Session(i));
        dump(folder, "stack");
        if (sessions.size() != MANY)
            throw new IllegalStateException();
    }

    public static void main(String[] arguments) throws Exception {
        String folder = arguments[0];
        dump(folder, "nothing");
        for (int i = 0; i < MANY; i++)
            Registry.sessions.put("key " + i, new Session(i));
        dump(folder, "map");
        Registry.sessions.clear();
        for (int i = 0; i < MANY; i++)
            bus.history.add(new Event());
        dump(folder, "list");
        bus.history.clear();
        for (int i = 0; i < MANY; i++)
            Chain.waiting.add(new Event());
        dump(folder, "linked");
        Chain.waiting.clear();
        keepOfThread(folder);
        keepOnStack(folder);
    }
}
