import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * Objects of many shapes, threads with locals, and a plugin that was loaded again, of which the first
 * loader leaked. usage: java Zoo OBJECTS THREADS. Says "ready" and waits for a line.
 */
public final class Zoo {
    // Fields of all sizes, over several levels of classes.
    static class A {
        byte a;
    }

    static class B extends A {
        byte b;
        long l;
    }

    static class C extends B {
        byte c;
        Object o;
    }

    static class D {
        int i;
        double d;
    }

    static class E extends D {
        Object o;
        char c;
    }

    static class F {
        Object x, y;
        boolean z;
    }

    public static class Plugin {
        static final List<byte[]> cache = new ArrayList<>();
        Object own = new byte[100];

        public Plugin() {
            cache.add(new byte[1000]);
        }
    }

    static class Loader extends ClassLoader {
        final byte[] code;

        Loader(byte[] code) {
            super(Zoo.class.getClassLoader());
            this.code = code;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Zoo$Plugin")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known != null ? known : defineClass(name, code, 0, code.length);
        }
    }

    static Object[] kept;
    static final Map<String, Object> map = new HashMap<>();
    static Object phantom, current, leaked;

    static Object reload() throws Exception {
        byte[] code = Zoo.class.getResourceAsStream("/Zoo$Plugin.class").readAllBytes();
        return new Loader(code).loadClass("Zoo$Plugin").getDeclaredConstructor().newInstance();
    }

    static Object make(int i, Random random) {
        Object other = i == 0 ? null : kept[random.nextInt(i)];
        switch (i % 12) {
            case 0:
                return new A();
            case 1:
                return new B();
            case 2:
                C c = new C();
                c.o = other;
                return c;
            case 3:
                return new D();
            case 4:
                E e = new E();
                e.o = other;
                return e;
            case 5:
                F f = new F();
                f.x = other;
                f.y = "s" + i;
                return f;
            case 6:
                return new byte[random.nextInt(40)];
            case 7:
                return new long[random.nextInt(10)];
            case 8:
                Object[] array = new Object[1 + random.nextInt(9)];
                array[0] = other;
                return array;
            case 9:
                return new ArrayList<>(List.of(i, "x"));
            case 10:
                return new WeakReference<>(new Object());
            default:
                map.put("k" + i, new SoftReference<>(new byte[i % 50]));
                return new int[random.nextInt(7)];
        }
    }

    static void start(int number, CountDownLatch ready) {
        Thread thread = new Thread(() -> {
            Object[] local = {new B(), new byte[64]};
            ready.countDown();
            synchronized (local) {
                try {
                    local.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }, "zoo-" + number);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[1]);
        Random random = new Random(1);
        kept = new Object[Integer.parseInt(arguments[0])];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = make(i, random);
        }
        leaked = reload();
        current = reload();
        reload();
        phantom = new PhantomReference<>(new Object(), new ReferenceQueue<>());
        CountDownLatch ready = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            start(i, ready);
        }
        ready.await();
        System.out.println("ready");
        System.in.read();
    }

    private Zoo() {}
}
