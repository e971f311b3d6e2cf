package android.view;

/** As much of Android's class as rules ask about. */
public class View {
    Object mContext;
    Object mAttachInfo;

    public View(Object context) {
        mContext = context;
    }
}
