// A server sends both: the rows, and what describeFields(schema) returns.
import { describeFields, jsonSchema } from 'plinth/filter'

export const rows = [
  { name: 'web', status: 'running', priority: 50 },
  { name: 'db', status: 'dead', priority: 70 },
  { name: 'mail', status: 'running', priority: 10 },
]

export const fields = describeFields(
  jsonSchema({
    type: 'object',
    properties: {
      name: { type: 'string' },
      status: { enum: ['running', 'dead'] },
      priority: { type: 'integer' },
    },
    required: ['name', 'status', 'priority'],
  }),
)
