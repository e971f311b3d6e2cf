import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.PrintWriter;
import java.util.Iterator;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;

/**
 * What VisualVM's heap library says about a dump. usage: java VisualVm DUMP [OBJECTS]
 *
 * <p>Prints seconds of its phases: opening, references, nearest roots, retained sizes. OBJECTS gets a
 * line for each instance: address, class, size, retained size, references from the nearest root.
 */
public final class VisualVm {
    private static long last = System.nanoTime();

    private static void lap(String phase) {
        long now = System.nanoTime();
        System.out.printf("%s %.3f%n", phase, (now - last) / 1e9);
        last = now;
    }

    private static Instance first(Heap heap) {
        return heap.getAllInstancesIterator().next();
    }

    public static void main(String[] arguments) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(arguments[0]));
        heap.getAllClasses();
        lap("open");
        Instance any = first(heap);
        any.getReferences();
        lap("references");
        any.getNearestGCRootPointer();
        lap("roots");
        any.getRetainedSize();
        lap("retained");
        if (arguments.length > 1) {
            write(heap, arguments[1]);
        }
    }

    /** -1: no root leads there. */
    private static int distance(Instance instance) {
        int steps = 0;
        Instance at = instance;
        while (!at.isGCRoot()) {
            at = at.getNearestGCRootPointer();
            if (at == null) {
                return -1;
            }
            steps++;
        }
        return steps;
    }

    private static void write(Heap heap, String file) throws Exception {
        try (PrintWriter out = new PrintWriter(new BufferedWriter(new FileWriter(file)))) {
            Iterator<Instance> instances = heap.getAllInstancesIterator();
            while (instances.hasNext()) {
                Instance instance = instances.next();
                JavaClass type = instance.getJavaClass();
                out.printf(
                        "0x%x %s %d %d %d%n",
                        instance.getInstanceId(),
                        type.getName(),
                        instance.getSize(),
                        instance.getRetainedSize(),
                        distance(instance));
            }
        }
    }

    private VisualVm() {}
}
