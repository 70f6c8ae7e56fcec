import * as affixes from './affixes.ts'
import * as count from './count.ts'
import * as equality from './equality.ts'
import type { HintRule } from './hint-rules.ts'
import * as membership from './membership.ts'
import type { MongoRule } from './mongo-rules.ts'
import * as order from './order.ts'
import * as pattern from './pattern.ts'
import * as presence from './presence.ts'
import type { ByOperator, TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import type { Label, TextRule } from './text-rules.ts'

// Every operator, by family. Each family defines in one file how its operators test, how they are written, their SQL,
// their queries for MongoDB, their words in a form, and their index hints. An operator that is added to the syntax tree and not here does not compile. The tables are
// separate so that a bundle contains only those that are used.

export const testsOf: ByOperator<TestRules> = /* @__PURE__ */ ((): ByOperator<TestRules> => ({
  ...equality.tests,
  ...order.tests,
  ...membership.tests,
  ...affixes.tests,
  ...pattern.tests,
  ...presence.tests,
  ...count.tests,
}))()

export const textsOf: ByOperator<TextRule> = /* @__PURE__ */ ((): ByOperator<TextRule> => ({
  ...equality.texts,
  ...order.texts,
  ...membership.texts,
  ...affixes.texts,
  ...pattern.texts,
  ...presence.texts,
  ...count.texts,
}))()

export const sqlOf: ByOperator<SqlRule> = /* @__PURE__ */ ((): ByOperator<SqlRule> => ({
  ...equality.sql,
  ...order.sql,
  ...membership.sql,
  ...affixes.sql,
  ...pattern.sql,
  ...presence.sql,
  ...count.sql,
}))()

export const hintsOf: ByOperator<HintRule> = /* @__PURE__ */ ((): ByOperator<HintRule> => ({
  ...equality.hints,
  ...order.hints,
  ...membership.hints,
  ...affixes.hints,
  ...pattern.hints,
  ...presence.hints,
  ...count.hints,
}))()

export const mongoOf: ByOperator<MongoRule> = /* @__PURE__ */ ((): ByOperator<MongoRule> => ({
  ...equality.mongo,
  ...order.mongo,
  ...membership.mongo,
  ...affixes.mongo,
  ...pattern.mongo,
  ...presence.mongo,
  ...count.mongo,
}))()

export const labelsOf: ByOperator<Label> = /* @__PURE__ */ ((): ByOperator<Label> => ({
  ...equality.labels,
  ...order.labels,
  ...membership.labels,
  ...affixes.labels,
  ...pattern.labels,
  ...presence.labels,
  ...count.labels,
}))()
