/**
 * Filters as MongoDB queries.
 *
 * @packageDocumentation
 */

export type { MongoQuery } from '../operators/mongo-rules.ts'
export { type MongoOptions, toMongo } from './mongo.ts'
