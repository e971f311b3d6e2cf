import java.beans.PropertyChangeListener;
import java.beans.PropertyChangeSupport;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.management.HotSpotDiagnosticMXBean;

/**
 * Leaks that people make, each in a process of its own: Mistakes NAME FILE dumps the heap of one. What
 * holds most is said by test_mistakes.py.
 */
public class Mistakes {
    static final int MANY = 4000, BYTES = 1000;

    interface Mistake {
        void make() throws Exception;
    }

    static class Item {
        final byte[] data = new byte[BYTES];
    }

    /* 1. Listeners that are added and never removed. */
    static class Screen {
        final byte[] pixels = new byte[BYTES];
    }

    static class Bus {
        static final List<Screen> listeners = new ArrayList<>();
    }

    static void listeners() {
        for (int i = 0; i < MANY; i++)
            Bus.listeners.add(new Screen());
    }

    /* 2. What a thread of a pool keeps of a request. */
    static class Request {
        static final ThreadLocal<List<Item>> context = ThreadLocal.withInitial(ArrayList::new);
    }

    static final ExecutorService pool = Executors.newFixedThreadPool(1);

    static void threadLocal() throws Exception {
        pool.submit(() -> {
            for (int i = 0; i < MANY; i++)
                Request.context.get().add(new Item());
        }).get();
    }

    /* 3. Class loaders of plug-ins that were loaded again. */
    public static class Plugin implements Runnable {
        static final List<byte[]> loaded = new ArrayList<>();

        public void run() {
            for (int i = 0; i < MANY; i++)
                loaded.add(new byte[BYTES / 10]);
        }
    }

    static class Isolated extends ClassLoader {
        Isolated() {
            super(Mistakes.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Mistakes$Plugin"))
                return super.loadClass(name, resolve);
            try (InputStream in = Mistakes.class.getResourceAsStream("Mistakes$Plugin.class")) {
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (java.io.IOException problem) {
                throw new ClassNotFoundException(name, problem);
            }
        }
    }

    static class Host {
        static final List<Runnable> plugins = new ArrayList<>();
    }

    static void classLoaders() throws Exception {
        for (int i = 0; i < 12; i++) {
            Runnable plugin = (Runnable) new Isolated().loadClass("Mistakes$Plugin").getDeclaredConstructor().newInstance();
            plugin.run();
            Host.plugins.add(plugin);
        }
    }

    /* 4. A static map of sessions. */
    static class Session extends Item {
    }

    static class Registry {
        static final Map<String, Session> sessions = new HashMap<>();
    }

    static void staticMap() {
        for (int i = 0; i < MANY; i++)
            Registry.sessions.put("session " + i, new Session());
    }

    /* 5. A cache without a bound, in an object that lives long. */
    static class Cache {
        final Map<Integer, Item> entries = new LinkedHashMap<>();
    }

    static final Cache cache = new Cache();

    static void cache() {
        for (int i = 0; i < MANY; i++)
            cache.entries.put(i, new Item());
    }

    /* 6. Objects of inner classes, which keep those around them. */
    static class Editor {
        final byte[] text = new byte[BYTES];

        Runnable saving() {
            return new Runnable() {
                @Override
                public void run() {
                    System.out.println(text.length);
                }
            };
        }
    }

    static class Agenda {
        static final List<Runnable> tasks = new ArrayList<>();
    }

    static void innerClass() {
        for (int i = 0; i < MANY; i++)
            Agenda.tasks.add(new Editor().saving());
    }

    /* 7. Messages that are to be handled much later, and their screens. */
    static class Message {
        final Runnable callback;
        Message next;

        Message(Runnable callback, Message next) {
            this.callback = callback;
            this.next = next;
        }
    }

    static class MessageQueue {
        Message messages;
    }

    static final MessageQueue queue = new MessageQueue();

    static void handler() {
        for (int i = 0; i < MANY; i++)
            queue.messages = new Message(new Editor().saving(), queue.messages);
    }

    /* 8. Cursors that nobody closes. */
    static class Cursor extends Item {
    }

    static class Database {
        final Set<Cursor> open = new HashSet<>();
    }

    static final Database database = new Database();

    static void cursors() {
        for (int i = 0; i < MANY; i++)
            database.open.add(new Cursor());
    }

    /* 9. Objects that wait for a finalizer, which hangs. */
    static final CountDownLatch hangs = new CountDownLatch(1);

    static class Handle extends Item {
        @Override
        @SuppressWarnings("removal")
        protected void finalize() throws InterruptedException {
            hangs.countDown();
            new CountDownLatch(1).await();
        }
    }

    static void finalizers() throws Exception {
        for (int i = 0; i < MANY; i++)
            new Handle();
        System.gc();
        hangs.await();
    }

    /* 10. Texts that a program keeps of each kind one. */
    static class Names {
        static final Map<String, String> pool = new ConcurrentHashMap<>();
    }

    static void internedTexts() {
        for (int i = 0; i < MANY; i++) {
            String name = i + ".".repeat(BYTES);
            Names.pool.putIfAbsent(name, name);
        }
    }

    /* 11. Work that comes faster than it is done. */
    static class Job extends Item implements Runnable {
        @Override
        public void run() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static class Server {
        static final ExecutorService executor = Executors.newFixedThreadPool(1);
    }

    static void executorQueue() {
        for (int i = 0; i < MANY; i++)
            Server.executor.execute(new Job());
    }

    /* 12. Tasks of a timer that are not cancelled. */
    static class Reminder extends TimerTask {
        final byte[] note = new byte[BYTES];

        @Override
        public void run() {
        }
    }

    static class Reminders {
        static final Timer timer = new Timer(true);
    }

    static void timer() {
        for (int i = 0; i < MANY; i++)
            Reminders.timer.schedule(new Reminder(), 1000000L + i);
    }

    /* 13. Statements that their connection lists until it is closed. */
    static class Statement extends Item {
    }

    static class Connection {
        final Deque<Statement> statements = new ArrayDeque<>();
    }

    static class Connections {
        static final Connection shared = new Connection();
    }

    static void statements() {
        for (int i = 0; i < MANY; i++)
            Connections.shared.statements.add(new Statement());
    }

    /* 14. A weak map whose values hold their keys. */
    static class Described extends Item {
        final Object key;

        Described(Object key) {
            this.key = key;
        }
    }

    static class Descriptions {
        static final Map<Object, Described> byKey = new WeakHashMap<>();
    }

    static void weakMap() {
        for (int i = 0; i < MANY; i++) {
            Object key = new Object();
            Descriptions.byKey.put(key, new Described(key));
        }
    }

    /* 15. A thread that never ends, and what it works on. */
    static void threadThatNeverEnds() throws Exception {
        CountDownLatch filled = new CountDownLatch(1), never = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            List<Item> batch = new ArrayList<>();
            for (int i = 0; i < MANY; i++)
                batch.add(new Item());
            filled.countDown();
            try {
                never.await();
            } catch (InterruptedException stopped) {
                System.out.println(batch.size());
            }
        }, "importer");
        thread.setDaemon(true);
        thread.start();
        filled.await();
    }

    /* 16. One text that only grows. */
    static class Log {
        static final StringBuilder buffer = new StringBuilder();
    }

    static void growingText() {
        for (int i = 0; i < MANY; i++)
            Log.buffer.append(".".repeat(BYTES));
    }

    /* 17. A set of objects that are never equal. */
    static class Word extends Item {
        final String text = "the same";
    }

    static class Index {
        static final Set<Word> seen = new HashSet<>();
    }

    static void neverEqual() {
        for (int i = 0; i < MANY; i++)
            Index.seen.add(new Word());
    }

    /* 18. Observers of a model that lives longer than they do. */
    static class View extends Item implements PropertyChangeListener {
        @Override
        public void propertyChange(java.beans.PropertyChangeEvent event) {
        }
    }

    static class Model {
        final PropertyChangeSupport changes = new PropertyChangeSupport(this);
    }

    static final Model model = new Model();

    static void observers() {
        for (int i = 0; i < MANY; i++)
            model.changes.addPropertyChangeListener(new View());
    }

    /* 19. The first items of a list, which keep the whole list. */
    static class Page {
        List<Item> head;
    }

    static final Page page = new Page();

    static void subList() {
        List<Item> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++)
            all.add(new Item());
        page.head = all.subList(0, 3);
    }

    /* 20. References whose queue nobody reads. */
    static class Freed extends PhantomReference<Object> {
        static final ReferenceQueue<Object> freed = new ReferenceQueue<>();
        static final Set<Freed> all = new HashSet<>();
        final byte[] record = new byte[BYTES];

        Freed(Object of) {
            super(of, freed);
            all.add(this);
        }
    }

    static void phantoms() {
        for (int i = 0; i < MANY; i++)
            new Freed(new Object());
    }

    static final Map<String, Mistake> all = new LinkedHashMap<>();

    static {
        all.put("listeners", Mistakes::listeners);
        all.put("thread-local", Mistakes::threadLocal);
        all.put("class-loaders", Mistakes::classLoaders);
        all.put("static-map", Mistakes::staticMap);
        all.put("cache", Mistakes::cache);
        all.put("inner-class", Mistakes::innerClass);
        all.put("handler", Mistakes::handler);
        all.put("cursors", Mistakes::cursors);
        all.put("finalizers", Mistakes::finalizers);
        all.put("interned-texts", Mistakes::internedTexts);
        all.put("executor-queue", Mistakes::executorQueue);
        all.put("timer", Mistakes::timer);
        all.put("statements", Mistakes::statements);
        all.put("weak-map", Mistakes::weakMap);
        all.put("thread", Mistakes::threadThatNeverEnds);
        all.put("growing-text", Mistakes::growingText);
        all.put("never-equal", Mistakes::neverEqual);
        all.put("observers", Mistakes::observers);
        all.put("sub-list", Mistakes::subList);
        all.put("phantoms", Mistakes::phantoms);
    }

    public static void main(String[] words) throws Exception {
        Mistake mistake = all.get(words[0]);
        if (mistake == null)
            throw new IllegalArgumentException(Arrays.toString(words));
        mistake.make();
        ManagementFactory.newPlatformMXBeanProxy(ManagementFactory.getPlatformMBeanServer(),
            "com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class).dumpHeap(words[1], true);
        Runtime.getRuntime().halt(0);
    }
}
