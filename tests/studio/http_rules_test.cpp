#include "studio/net/http_rules.h"

#include <gtest/gtest.h>

namespace sinew::studio::http_rules_test {
namespace {

const HttpRules kRules{.port = 8731, .token = "secret"};

RequestFacts page() {
  return {.method = "GET", .target = "/", .host = "127.0.0.1:8731", .origin = "", .token = "", .upgrade = false};
}

unsigned statusOf(const RequestFacts& facts) {
  return refusalOf(kRules, facts).status;
}

TEST(HttpRules, LetsThePageThroughWithoutAToken) {
  EXPECT_EQ(statusOf(page()), 0u);
  RequestFacts asset = page();
  for (const char* target : {"/assets/index.js", "/samples/arm.png"}) {
    asset.target = target;
    EXPECT_EQ(statusOf(asset), 0u) << target;
  }
}

TEST(HttpRules, RefusesForeignHosts) {
  for (const char* host : {"evil.example:8731", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8731.evil.example", ""}) {
    RequestFacts facts = page();
    facts.host = host;
    EXPECT_EQ(statusOf(facts), 403u) << host;
  }
}

TEST(HttpRules, RefusesForeignOrigins) {
  for (const char* origin : {"http://evil.example", "https://127.0.0.1:8731", "null", "http://127.0.0.1:8732"}) {
    RequestFacts facts = page();
    facts.origin = origin;
    EXPECT_EQ(statusOf(facts), 403u) << origin;
  }
}

TEST(HttpRules, WantsAnOriginForConnections) {
  RequestFacts facts = page();
  facts.target = "/ws";
  facts.upgrade = true;
  EXPECT_EQ(statusOf(facts), 403u);
  facts.origin = "http://127.0.0.1:8731";
  EXPECT_EQ(statusOf(facts), 0u);
  facts.target = "/elsewhere";
  EXPECT_EQ(statusOf(facts), 404u);
}

TEST(HttpRules, WantsTheTokenForDataAndChanges) {
  RequestFacts facts = page();
  facts.target = "/blob/00";
  EXPECT_EQ(statusOf(facts), 401u);
  facts.token = "secre";
  EXPECT_EQ(statusOf(facts), 401u);
  facts.token = "secret";
  EXPECT_EQ(statusOf(facts), 0u);
  facts.method = "POST";
  facts.token = "";
  facts.target = "/upload/a.glb";
  EXPECT_EQ(statusOf(facts), 401u);
  facts.method = "DELETE";
  EXPECT_EQ(statusOf(facts), 405u);
}

TEST(HttpRules, RefusesPathsThatClimb) {
  for (const char* target : {"/../etc/passwd", "/assets/../../etc/passwd", "/%2e%2e/etc/passwd", "/assets/%2e%2e/x",
                             "/a%00b", "/a\\..\\b", "relative", ""}) {
    RequestFacts facts = page();
    facts.target = target;
    facts.token = "secret";
    EXPECT_EQ(statusOf(facts), 400u) << target;
  }
}

TEST(HttpRules, SplitsAndDecodesTargets) {
  std::string path;
  std::map<std::string, std::string> query;
  splitTarget("/upload/a%20b.glb?name=x%26y&empty=&flag", path, query);
  EXPECT_EQ(path, "/upload/a b.glb");
  EXPECT_EQ(query["name"], "x&y");
  EXPECT_EQ(query["empty"], "");
  EXPECT_TRUE(query.contains("flag"));
}

}  // namespace
}  // namespace sinew::studio::http_rules_test
