// The `json_query` filter: JMESPath on any nested data.
import { jmespathSearch } from '../../../data/mod.ts'
import { type NativeTable, native } from '../../runtime/native.ts'

export const queryFilters: NativeTable = {
  json_query: native('json_query', ['data', 'expr'], (_rt, data, expression) => jmespathSearch(expression, data)),
}
