package com.example;

import android.app.Activity;
import android.view.View;
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import leakcanary.KeyedWeakReference;

/**
 * A heap with planted truths: what it plants, tests know. usage: java com.example.App DUMP [DUMP]
 *
 * <p>Between the two dumps 100 objects of class Late are made, and 50 of class Early are dropped.
 */
public final class App {
    static final class MainActivity extends Activity {
        byte[] picture = new byte[100000];
    }

    static final class OtherActivity extends Activity {}

    /** Keeps activities although it should not. */
    static final class Cache {
        static final Cache instance = new Cache();
        final Map<String, Object> entries = new HashMap<>();
        Link chain;
    }

    static final class Link {
        Link next;
        Object payload;
    }

    static final class Presenter {
        Object screen;
    }

    static final class Fine {}

    static final class Softly {}

    static final class OnStack {}

    static final class Early {}

    static final class Late {}

    static final class Ring {
        Ring next;
    }

    static final List<Object> alive = new ArrayList<>();

    private static void plant() {
        MainActivity leaked = new MainActivity();
        leaked.destroy();
        Cache.instance.entries.put("screen", leaked);

        Link last = Cache.instance.chain = new Link();
        for (int i = 0; i < 50; i++) {
            last.next = new Link();
            last = last.next;
        }
        OtherActivity atTheEnd = new OtherActivity();
        atTheEnd.destroy();
        last.payload = atTheEnd;

        OtherActivity running = new OtherActivity();
        alive.add(running);
        alive.add(new View(leaked));

        Presenter presenter = new Presenter();
        KeyedWeakReference watched = new KeyedWeakReference(presenter, "presenter");
        watched.retained();
        alive.add(watched);
        presenter.screen = new Fine();
        Cache.instance.entries.put("presenter", presenter);

        alive.add(new KeyedWeakReference(new Object(), "not retained yet"));
        alive.add(new SoftReference<>(new Softly()));

        Ring ring = new Ring();
        ring.next = new Ring();
        ring.next.next = new Ring();
        ring.next.next.next = ring;
        alive.add(ring);
        Ring itself = new Ring();
        itself.next = itself;
        alive.add(itself);
    }

    private static void dump(String file) throws Exception {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file, true);
    }

    public static void main(String[] arguments) throws Exception {
        plant();
        OnStack local = new OnStack();
        List<Object> changing = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            changing.add(new Early());
        }
        alive.add(changing);
        dump(arguments[0]);
        changing.clear();
        for (int i = 0; i < 100; i++) {
            changing.add(new Late());
        }
        if (arguments.length > 1) {
            dump(arguments[1]);
        }
        if (local.hashCode() == 0) {
            System.out.println(local);
        }
    }

    private App() {}
}
