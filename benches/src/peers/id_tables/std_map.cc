// The map that Niklas Frykholm measured his table against ("Managing Decoupling Part 4 -- The ID
// Lookup Table", 2011): numbers to pointers. The objects are the caller's.

#include <cstdint>
#include <map>

using Map = std::map<std::uint32_t, void*>;

extern "C" {

Map* loligo_std_map_new() noexcept { return new Map; }

void loligo_std_map_delete(Map* map) noexcept { delete map; }

void loligo_std_map_insert(Map* map, std::uint32_t key, void* object) noexcept {
    map->emplace(key, object);
}

void* loligo_std_map_find(const Map* map, std::uint32_t key) noexcept {
    const auto found = map->find(key);
    return found == map->end() ? nullptr : found->second;
}

// Takes the object of a key out.
void* loligo_std_map_take(Map* map, std::uint32_t key) noexcept {
    const auto found = map->find(key);
    if (found == map->end()) return nullptr;
    void* object = found->second;
    map->erase(found);
    return object;
}

// Takes the object with the least key out; null when the map is empty.
void* loligo_std_map_take_first(Map* map) noexcept {
    if (map->empty()) return nullptr;
    void* object = map->begin()->second;
    map->erase(map->begin());
    return object;
}

// Adds up the first words of all objects.
std::uint64_t loligo_std_map_sum(const Map* map) noexcept {
    std::uint64_t sum = 0;
    for (const auto& entry : *map) sum += *static_cast<const std::uint64_t*>(entry.second);
    return sum;
}

}
