// The reference of the benchmark `geodesy`: the inverse problem by GeographicLib, on the same random pairs.
// Usage: geodesic SEED PAIRS ROUNDS; prints the nanoseconds per pair of the fastest round and the sum of all distances.

#include <GeographicLib/Geodesic.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
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

int main(int count, char **arguments) {
    if (count != 4) return 2;
    state = std::strtoull(arguments[1], nullptr, 10);
    std::vector<double> coordinates(4 * std::strtoull(arguments[2], nullptr, 10));
    for (std::size_t i = 0; i < coordinates.size(); i += 2) {
        coordinates[i] = draw() * 180 - 90;
        coordinates[i + 1] = draw() * 360 - 180;
    }
    const GeographicLib::Geodesic &geodesic = GeographicLib::Geodesic::WGS84();
    double fastest = std::numeric_limits<double>::infinity(), sum = 0;
    for (long round = std::strtol(arguments[3], nullptr, 10); round > 0; --round) {
        sum = 0;
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < coordinates.size(); i += 4) {
            double distance, azimuth1, azimuth2;
            geodesic.Inverse(coordinates[i], coordinates[i + 1], coordinates[i + 2], coordinates[i + 3],
                             distance, azimuth1, azimuth2);
            sum += distance + azimuth1 + azimuth2;
        }
        const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
        fastest = std::min(fastest, 4 * elapsed.count() / static_cast<double>(coordinates.size()));
    }
    std::printf("%.17g %.17g\n", fastest, sum);
}
