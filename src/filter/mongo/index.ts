/**
 * Filters as MongoDB queries.
 *
 * @packageDocumentation
 */
export { type MongoOptions, type MongoQuery, toMongo } from './mongo.ts'
