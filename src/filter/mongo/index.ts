/**
 * Filters as MongoDB queries.
 *
 * @packageDocumentation
 */
export { type MongoOptions, toMongo } from './mongo.ts'
export type { MongoQuery } from './mongo-writer.ts'
