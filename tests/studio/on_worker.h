// Work that is done on a session's worker, and waited for.
#pragma once

#include <exception>
#include <future>

#include "studio/session/session.h"

namespace sinew::studio {

/// Calls work(session) after all that came before. Throws what it throws.
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
