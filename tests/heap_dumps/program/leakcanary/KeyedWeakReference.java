package leakcanary;

import java.lang.ref.WeakReference;

/** As much of LeakCanary's class as rules ask about. */
public class KeyedWeakReference extends WeakReference<Object> {
    final String key;
    volatile long retainedUptimeMillis = -1L;

    public KeyedWeakReference(Object referent, String key) {
        super(referent);
        this.key = key;
    }

    public void retained() {
        retainedUptimeMillis = 5000;
    }
}
