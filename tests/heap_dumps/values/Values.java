import java.io.File;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.management.HotSpotDiagnosticMXBean;

/** One object with a field of each sort, and one of each collection, in a heap dump. */
public class Values {
    enum Colour { RED, GREEN { } }

    static class Base {
        long inherited = -7;
    }

    static class Item {
        final String name;

        Item(String name) {
            this.name = name;
        }
    }

    static class Sample extends Base {
        boolean yes = true;
        char letter = '\u00e9';
        byte small = -128;
        short shorter = -300;
        int number = 42;
        long large = Long.MIN_VALUE;
        float third = 1 / 3f;
        double tenth = 0.1, infinite = Double.POSITIVE_INFINITY, none = Double.NaN;
        String plain = "Gr\u00fc\u00dfe", wide = "\u0416\u0443\u0440\u043d\u0430\u043b \ud83d\ude00", empty = "";
        String nothing;
        Integer boxed = 1234567;
        Double boxedDouble = 2.5;
        Character boxedLetter = 'x';
        Colour colour = Colour.GREEN;
        Date date = new Date(1700000000123L);
        Instant instant = Instant.ofEpochSecond(-1, 500000000);
        LocalDate day = LocalDate.of(2024, 2, 29);
        LocalDateTime moment = LocalDateTime.of(1999, 12, 31, 23, 59, 58);
        UUID id = new UUID(0x123456789abcdef0L, 0x8fedcba987654321L);
        BigDecimal price = new BigDecimal("-0.05");
        File file = new File("/tmp/x");
        URI uri = URI.create("https://example.com/a?b");
        StringBuilder builder = new StringBuilder("built");
        AtomicInteger counter = new AtomicInteger(9);
        Exception failure = new IllegalStateException("no more");
        int[] numbers = {1, 2, 3};
        Item[] items = {new Item("first"), null, new Item("third")};
        URL url;
        String longText = "0123456789".repeat(100);
    }

    static class Collections {
        final Map<String, Object> all = new LinkedHashMap<>();

        void add(Object collection) {
            all.put(collection.getClass().getName(), collection);
        }

        <C extends Collection<Item>> void fill(C collection) {
            for (String name : new String[] {"one", "two", "three"})
                collection.add(new Item(name));
            add(collection);
        }

        <M extends Map<String, Item>> void fill(M map) {
            for (String name : new String[] {"one", "two", "three"})
                map.put(name, new Item(name));
            add(map);
        }
    }

    static class Ordered extends Item implements Comparable<Ordered> {
        Ordered(String name) {
            super(name);
        }

        public int compareTo(Ordered other) {
            return name.compareTo(other.name);
        }
    }

    static final Sample sample = new Sample();
    static final Collections collections = new Collections();
    static int counted = 17;
    static final String GREETING = "hello";

    static void fillCollections() {
        collections.fill(new ArrayList<>());
        collections.fill(new Vector<>());
        collections.fill(new LinkedList<>());
        collections.fill(new ArrayDeque<>());
        collections.fill(new CopyOnWriteArrayList<>());
        collections.fill(new LinkedBlockingQueue<>());
        collections.fill(new LinkedBlockingDeque<>());
        collections.fill(new ConcurrentLinkedQueue<>());
        collections.fill(new ConcurrentLinkedDeque<>());
        collections.fill(new ArrayBlockingQueue<>(5));
        collections.fill(new HashSet<>());
        collections.fill(new LinkedHashSet<>());
        collections.fill(new CopyOnWriteArraySet<>());
        collections.fill(new HashMap<>());
        collections.fill(new Hashtable<>());
        collections.fill(new ConcurrentHashMap<>());
        collections.fill(new WeakHashMap<>());
        collections.fill(new IdentityHashMap<>());
        collections.fill(new TreeMap<>());
        collections.fill(new ConcurrentSkipListMap<>());
        Item[] three = {new Item("one"), new Item("two"), new Item("three")};
        collections.add(Arrays.asList(three));
        collections.add(List.of(three));
        collections.add(List.of(three[0], three[1]));
        collections.add(Set.of(three));
        collections.add(Map.of("one", three[0], "two", three[1], "three", three[2]));
        collections.add(Map.of("one", three[0]));
        collections.add(java.util.Collections.singletonList(three[0]));
        collections.add(java.util.Collections.unmodifiableList(new ArrayList<>(List.of(three))));
        collections.add(java.util.Collections.synchronizedMap(new HashMap<>(Map.of("one", three[0]))));
        collections.add(EnumSet.of(Colour.GREEN));
        collections.add(new EnumMap<>(Map.of(Colour.GREEN, three[1])));
        collections.add(new PriorityQueue<>(List.of(new Ordered("one"), new Ordered("two"))));
        collections.add(new TreeSet<>(List.of(new Ordered("one"), new Ordered("two"))));
        Map<String, Item> tree = new ConcurrentHashMap<>(), plain = new HashMap<>();
        for (int i = 0; i < 40; i++) { /* all in one bin, which becomes a tree */
            plain.put(collide(i), three[0]);
            tree.put(collide(i), three[0]);
        }
        collections.all.put("bins of HashMap", plain);
        collections.all.put("bins of ConcurrentHashMap", tree);
    }

    /** Strings of equal hashes. */
    static String collide(int number) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < 6; bit++)
            text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        return text.toString();
    }

    public static void main(String[] arguments) throws Exception {
        sample.url = new URL("http://example.com:8080/index.html");
        fillCollections();
        Path file = Path.of(arguments[0]);
        Files.deleteIfExists(file);
        ManagementFactory.newPlatformMXBeanProxy(ManagementFactory.getPlatformMBeanServer(),
            "com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class)
            .dumpHeap(file.toString(), true);
    }
}
