// Runs work on a session's worker and waits for it.
#pragma once

#include <exception>
#include <future>

#include "studio/session/session.h"

namespace sinew::studio {

/// Calls work(session) after everything queued earlier. Rethrows its exception.
template <class Work>
void onWorker(Session& session, const Work& work) {
  std::promise<void> done;
  session.post([&] {
    try {
      work(session);
      done.set_value();
    } catch (...) {
      done.set_exception(std::current_exception());
    }
  });
  done.get_future().get();
}

}  // namespace sinew::studio
