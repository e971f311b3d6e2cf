import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Builds one heap of so many objects, beside those of the virtual machine, and dumps it. usage: java
 * Heaps SHAPE OBJECTS FILE [all]
 *
 * <p>tangled: a tree with links across and back, maps, rings of five and a list; deep: one list;
 * ladder: two lists linked to each other in both directions at every step. With all the dump has
 * garbage too, another heap of the same shape.
 */
public final class Heaps {
    static final class Node {
        Node left, right, across;
        Object payload;
    }

    static final class Rung {
        Rung next, beside;
    }

    /** Of each map entry: a key of two objects and an entry, and a number and an entry. */
    private static final int PER_ENTRY = 5;

    private static final int PER_RING = 5;
    private static final int LIST = 2000;

    static Object heap;

    /** A second reference to a root: see docs/heaps.md on how VisualVM counts roots with one. */
    static String file;

    /** Mostly local: 15 in 100 links lead anywhere, 10 back. */
    private static Object tangled(int objects) {
        Random random = new Random(17);
        int entries = objects / 40;
        int rings = objects / 400;
        int others = entries * PER_ENTRY + rings * PER_RING + LIST;
        int nodes = (objects - others) * 4 / 5; // each fourth has a payload
        Node[] all = new Node[nodes];
        for (int i = 0; i < nodes; i++) {
            all[i] = new Node();
            if (i > 0) {
                Node parent = all[(i - 1) / 2];
                if (i % 2 == 1) {
                    parent.left = all[i];
                } else {
                    parent.right = all[i];
                }
            }
            int kind = random.nextInt(100);
            if (kind < 15) {
                all[i].across = all[random.nextInt(i + 1)];
            } else if (kind < 25) {
                all[i].across = all[i / 4];
            }
            if (i % 4 == 0) {
                all[i].payload = new int[random.nextInt(8)];
            }
        }
        List<Object> heap = new ArrayList<>();
        heap.add(all[0]);
        heap.add(mapsOf(entries, all, random));
        heap.add(ringsOf(rings));
        heap.add(listOf(LIST));
        return heap;
    }

    private static Object mapsOf(int entries, Node[] all, Random random) {
        Map<String, Object> hashed = new HashMap<>();
        Map<Integer, Object> sorted = new TreeMap<>();
        for (int i = 0; i < entries; i++) {
            hashed.put("key " + i, all[random.nextInt(all.length)]);
            sorted.put(i, all[random.nextInt(all.length)]);
        }
        return new Object[] {hashed, sorted};
    }

    private static Object ringsOf(int rings) {
        Rung[] firsts = new Rung[rings];
        for (int i = 0; i < rings; i++) {
            Rung first = new Rung();
            Rung last = first;
            for (int k = 1; k < PER_RING; k++) {
                last.next = new Rung();
                last = last.next;
            }
            last.next = first;
            firsts[i] = first;
        }
        return firsts;
    }

    private static Rung listOf(int length) {
        Rung first = new Rung();
        Rung last = first;
        for (int i = 1; i < length; i++) {
            last.next = new Rung();
            last = last.next;
        }
        return first;
    }

    private static Rung ladderOf(int objects) {
        Rung top = new Rung();
        Rung left = top;
        Rung right = new Rung();
        left.beside = right;
        right.beside = left;
        for (int i = 2; i + 1 < objects; i += 2) {
            left.next = new Rung();
            right.next = new Rung();
            left = left.next;
            right = right.next;
            left.beside = right;
            right.beside = left;
        }
        return top;
    }

    private static Object build(String shape, int objects) {
        switch (shape) {
            case "tangled":
                return tangled(objects);
            case "deep":
                return listOf(objects);
            case "ladder":
                return ladderOf(objects);
            default:
                throw new IllegalArgumentException("no shape " + shape);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int objects = Integer.parseInt(arguments[1]);
        boolean withGarbage = arguments.length > 3;
        file = arguments[2];
        heap = build(arguments[0], objects);
        if (withGarbage) {
            Object garbage = build(arguments[0], objects);
            heap = new Object[] {heap, garbage.hashCode()};
        }
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpHeap(file, !withGarbage);
    }

    private Heaps() {}
}
