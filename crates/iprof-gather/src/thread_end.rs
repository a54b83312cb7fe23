//! Detects that the calling thread is ending. An ending thread does not get a record, because its own record was
//! returned or is about to be, and the standard library may no longer have a handle for the thread.

pub(super) use mark::{has_ended, set_ended};

/// The implementation for systems where the linker lays out thread-locals. A destroyed thread-local stays destroyed
/// there, and accessing it fails.
#[cfg(not(any(
    all(windows, target_env = "gnu", not(target_abi = "llvm")),
    target_os = "android",
    target_os = "illumos",
    target_os = "openbsd",
    target_os = "solaris"
)))]
mod mark {
    struct EndMark;

    impl Drop for EndMark {
        /// Does nothing, but its existence makes the system register a destructor, after which access fails.
        fn drop(&mut self) {}
    }

    thread_local! {
        static END_MARK: EndMark = const { EndMark };
    }

    pub(in super::super) fn has_ended() -> bool {
        END_MARK.try_with(|_| ()).is_err()
    }

    /// Does nothing, because running the destructors is enough.
    pub(in super::super) fn set_ended() {}
}

/// The implementation for systems where the standard library allocates thread-locals. There, accessing a destroyed
/// thread-local recreates it. A value stored under a system key, however, lives as long as the thread if the key has no
/// destructor.
#[cfg(any(
    all(windows, target_env = "gnu", not(target_abi = "llvm")),
    target_os = "android",
    target_os = "illumos",
    target_os = "openbsd",
    target_os = "solaris"
))]
mod mark {
    #![allow(unsafe_code)] // The standard library's keys all have destructors, so this module calls the system.

    use crate::sync::OnceLock;
    use std::ffi::{c_int, c_void};
    use std::ptr::NonNull;
    use system::{Key, get, make_key, set};

    #[cfg(windows)]
    mod system {
        use super::{c_int, c_void};

        pub(super) type Key = u32;

        #[link(name = "kernel32")]
        unsafe extern "system" {
            // SAFETY: this is the signature on Windows. The function may be called at any time, from any thread.
            safe fn TlsAlloc() -> Key;
            #[link_name = "TlsGetValue"]
            pub(super) fn get(key: Key) -> *mut c_void;
            #[link_name = "TlsSetValue"]
            pub(super) fn set(key: Key, value: *const c_void) -> c_int;
        }

        pub(super) fn make_key() -> Option<Key> {
            let key = TlsAlloc();
            (key != Key::MAX).then_some(key)
        }
    }

    #[cfg(unix)]
    mod system {
        use super::{c_int, c_void};

        pub(super) type Key = c_int;

        unsafe extern "C" {
            fn pthread_key_create(
                key: *mut Key,
                destructor: Option<unsafe extern "C" fn(*mut c_void)>,
            ) -> c_int;
            #[link_name = "pthread_getspecific"]
            pub(super) fn get(key: Key) -> *mut c_void;
            #[link_name = "pthread_setspecific"]
            pub(super) fn set(key: Key, value: *const c_void) -> c_int;
        }

        pub(super) fn make_key() -> Option<Key> {
            let mut key = 0;
            // SAFETY: this is the signature in POSIX, and `Key` is C's key type on these systems.
            let result = unsafe { pthread_key_create(&mut key, None) };
            (result == 0).then_some(key)
        }
    }

    /// Returns the key of a value that is null on new threads, or `None` if the system has run out of keys.
    fn key() -> Option<Key> {
        static KEY: OnceLock<Option<Key>> = OnceLock::new();
        *KEY.get_or_init(make_key)
    }

    /// Without a key the end cannot be detected, so all threads count as ended and record nothing.
    pub(in super::super) fn has_ended() -> bool {
        // SAFETY: the system created the key, and it is never deleted.
        key().is_none_or(|key| !unsafe { get(key) }.is_null())
    }

    pub(in super::super) fn set_ended() {
        if let Some(key) = key() {
            // SAFETY: as above. The value is never dereferenced.
            unsafe { set(key, NonNull::<c_void>::dangling().as_ptr()) };
        }
    }
}
