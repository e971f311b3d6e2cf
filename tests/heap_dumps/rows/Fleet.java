import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** Keeps sessions under keys that are nobody's business, in a static map, and has a thread with such a name. */
public class Fleet {
    static final Map<String, Session> sessions = new HashMap<>();
    static final Object lock = new Object();

    static class Session {
        final String user;
        final byte[] data = new byte[400];

        Session(String user) {
            this.user = user;
        }
    }

    static void waitWith(String secret) {
        String local = secret + " local";
        synchronized (lock) {
            try {
                lock.wait();
            } catch (InterruptedException ended) {
                System.out.println(local);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        String secret = System.getProperty("my.secret");
        for (int i = 0; i < 5000; i++) {
            sessions.put(secret + i, new Session(secret + "-user-" + i));
        }
        System.getenv("SECRET_OF_ENVIRONMENT");
        Thread thread = new Thread(() -> waitWith(secret), "worker " + secret);
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(10);
        }
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        bean.dumpHeap(arguments[0], false);
        for (String name : new String[] {"java.version", "java.vm.name", "os.arch", "user.name", "java.class.path"}) {
            System.out.println(name + "=" + System.getProperty(name));
        }
    }
}
