package android.app;

/** As much of Android's class as rules ask about. */
public class Activity {
    boolean mDestroyed;

    public void destroy() {
        mDestroyed = true;
    }
}
