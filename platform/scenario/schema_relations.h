// Relations between keys as JSON Schema can say them: those of check_relations() that need no arithmetic.
#pragma once

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// A schema for what stands at `path`, in a scenario that has it.
Json schema_at(const std::string& path, Json schema);
/// The scenario says something at `path`, and it satisfies `schema`.
Json says(const std::string& path, Json schema);
/// The file stands alone: it extends nothing and is not made to be extended, so what it does not say is
/// default.
Json stands_alone();

/// Narrower ranges of single keys: powers of two, odd numbers, names. A null schema: none.
Json key_relation(const std::string& path);
/// A list for `allOf` at the root.
Json key_relations();

}  // namespace meshkv::platform
