// The references of the benchmark `monitor`: which fences contain a fix, by Redis's GEOSEARCH and by S2's point index.
// Usage: fences SOCKET SEED FENCES PLACES; prints for each a line of nanoseconds a fix, an addition and a removal, and how often a
// fix was inside of a fence, and last the nanoseconds of one question to Redis at each fix, as a program asks whose fixes come one by
// one. In its line Redis is asked in pipelines of 100, so that those figures hold no waiting for answers. The time of a
// fix is the median of such hundreds: all of them together take less than a time slice, so that a machine with other work to do
// takes the processor away in the middle of some.

#include <s2/s2closest_point_query.h>
#include <s2/s2latlng.h>
#include <s2/s2point_index.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static std::uint64_t state;

// SplitMix64, the upper 53 bits as a number in [0, 1).
static double draw() {
    state += 0x9E3779B97F4A7C15;
    std::uint64_t bits = state;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return static_cast<double>((bits ^ (bits >> 31)) >> 11) / 9007199254740992.0;
}

static double now() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The nanoseconds of one question to Redis and its answer.
static double asked;

static double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

struct Place { double latitude, longitude, radius; };

static const double radiusMost = 500;
static const int pipeline = 100;

// A connection that counts answers of the forms that are asked for.
class Redis {
public:
    explicit Redis(const char *path) : descriptor(socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
        if (connect(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) std::exit(3);
    }
    void add(const std::string &command) { requests += command; }
    void send() {
        for (std::size_t sent = 0; sent < requests.size();) {
            const ssize_t count = write(descriptor, requests.data() + sent, requests.size() - sent);
            if (count <= 0) std::exit(4);
            sent += static_cast<std::size_t>(count);
        }
        requests.clear();
    }
    std::string line() {
        std::string text;
        for (char byte = next(); byte != '\r'; byte = next()) text += byte;
        next();
        if (text[0] == '-') { std::fprintf(stderr, "redis: %s\n", text.c_str()); std::exit(5); }
        return text;
    }
    std::string bulk() {
        std::string text(std::strtoul(line().c_str() + 1, nullptr, 10), ' ');
        for (char &byte : text) byte = next();
        next(), next();
        return text;
    }

private:
    char next() {
        if (used == filled) {
            const ssize_t count = read(descriptor, buffer, sizeof buffer);
            if (count <= 0) std::exit(6);
            used = 0;
            filled = static_cast<std::size_t>(count);
        }
        return buffer[used++];
    }
    int descriptor;
    std::string requests;
    char buffer[1 << 16];
    std::size_t used = 0, filled = 0;
};

static void redis(const char *path, const std::vector<Place> &fences, const std::vector<Place> &fixes) {
    Redis redis(path);
    char text[200];
    redis.add("FLUSHALL\r\n");
    redis.send(), redis.line();
    double start = now();
    for (std::size_t i = 0; i < fences.size();) {
        const std::size_t first = i;
        for (; i < fences.size() && i < first + pipeline; ++i) {
            std::snprintf(text, sizeof text, "GEOADD f %.7f %.7f %zu\r\n", fences[i].longitude, fences[i].latitude, i);
            redis.add(text);
        }
        redis.send();
        for (std::size_t answer = first; answer < i; ++answer) redis.line();
    }
    const double added = (now() - start) / static_cast<double>(fences.size());
    long inside = 0;
    std::vector<double> times;
    for (std::size_t i = 0; i < fixes.size();) {
        const std::size_t first = i;
        start = now();
        for (; i < fixes.size() && i < first + pipeline; ++i) {
            std::snprintf(text, sizeof text, "GEOSEARCH f FROMLONLAT %.7f %.7f BYRADIUS %.0f m WITHDIST\r\n",
                          fixes[i].longitude, fixes[i].latitude, radiusMost);
            redis.add(text);
        }
        redis.send();
        for (std::size_t answer = first; answer < i; ++answer) {
            for (long count = std::strtol(redis.line().c_str() + 1, nullptr, 10); count > 0; --count) {
                redis.line();
                const std::size_t fence = std::strtoul(redis.bulk().c_str(), nullptr, 10);
                inside += std::strtod(redis.bulk().c_str(), nullptr) <= fences[fence].radius;
            }
        }
        times.push_back((now() - start) / static_cast<double>(i - first));
    }
    const double searched = median(times);
    std::vector<double> waits;
    for (std::size_t i = 0; i < fixes.size(); ++i) {
        start = now();
        std::snprintf(text, sizeof text, "GEOSEARCH f FROMLONLAT %.7f %.7f BYRADIUS %.0f m WITHDIST\r\n", fixes[i].longitude,
                      fixes[i].latitude, radiusMost);
        redis.add(text);
        redis.send();
        for (long count = std::strtol(redis.line().c_str() + 1, nullptr, 10); count > 0; --count) {
            redis.line();
            redis.bulk(), redis.bulk();
        }
        waits.push_back(now() - start);
    }
    asked = median(waits);
    start = now();
    for (std::size_t i = 0; i < fences.size();) {
        const std::size_t first = i;
        for (; i < fences.size() && i < first + pipeline; ++i) redis.add("ZREM f " + std::to_string(i) + "\r\n");
        redis.send();
        for (std::size_t answer = first; answer < i; ++answer) redis.line();
    }
    const double removed = (now() - start) / static_cast<double>(fences.size());
    std::printf("%.17g %.17g %.17g %ld\n", searched, added, removed, inside);
}

static void s2(const std::vector<Place> &fences, const std::vector<Place> &fixes) {
    const double earth = 6371010;
    S2PointIndex<std::size_t> index;
    double start = now();
    for (std::size_t i = 0; i < fences.size(); ++i)
        index.Add(S2LatLng::FromDegrees(fences[i].latitude, fences[i].longitude).ToPoint(), i);
    const double added = (now() - start) / static_cast<double>(fences.size());
    long inside = 0;
    std::vector<double> times;
    S2ClosestPointQuery<std::size_t> query(&index);
    query.mutable_options()->set_max_distance(S1Angle::Radians(radiusMost / earth));
    for (std::size_t i = 0; i < fixes.size();) {
        const std::size_t first = i;
        start = now();
        for (; i < fixes.size() && i < first + pipeline; ++i) {
            S2ClosestPointQuery<std::size_t>::PointTarget target(
                S2LatLng::FromDegrees(fixes[i].latitude, fixes[i].longitude).ToPoint());
            for (const auto &result : query.FindClosestPoints(&target))
                inside += result.distance().radians() * earth <= fences[result.data()].radius;
        }
        times.push_back((now() - start) / static_cast<double>(i - first));
    }
    const double searched = median(times);
    start = now();
    for (std::size_t i = 0; i < fences.size(); ++i)
        index.Remove(S2LatLng::FromDegrees(fences[i].latitude, fences[i].longitude).ToPoint(), i);
    const double removed = (now() - start) / static_cast<double>(fences.size());
    std::printf("%.17g %.17g %.17g %ld\n", searched, added, removed, inside);
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    state = std::strtoull(arguments[2], nullptr, 10);
    std::vector<Place> fences(std::strtoull(arguments[3], nullptr, 10)), fixes;
    // Fences of 100 to 500 m over Europe.
    for (Place &fence : fences) {
        fence.latitude = 36 + draw() * 24;
        fence.longitude = -10 + draw() * 40;
        fence.radius = 100 + draw() * 400;
    }
    // Two fixes at each place, within some 500 m of a fence's centre.
    for (std::size_t place = std::strtoull(arguments[4], nullptr, 10); place > 0; --place) {
        const Place &fence = fences[static_cast<std::size_t>(draw() * static_cast<double>(fences.size()))];
        const double latitude = fence.latitude + (draw() - 0.5) * 0.009;
        const double longitude = fence.longitude + (draw() - 0.5) * 0.009;
        fixes.insert(fixes.end(), 2, {latitude, longitude, 0});
    }
    redis(arguments[1], fences, fixes);
    s2(fences, fixes);
    std::printf("%.17g\n", asked);
}
