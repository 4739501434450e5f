// The `http_query` filter.
import type { Value } from '../../data/mod.ts'
import { HTTP_PARAMETERS, type HttpMachine, httpQuery } from '../../http/mod.ts'
import { type NativeTable, native } from '../../jinja/mod.ts'
import type { FilterHost } from './host.ts'
import { onPath } from './system-error.ts'

export function httpFilters(host: FilterHost): NativeTable {
  const machine: HttpMachine = {
    read: async (path) => onPath(path, () => host.readStart(path, -1)),
    write: async (path, text) => onPath(path, () => host.writeFile(path, text)),
    send: host.sendHttp,
  }
  return {
    http_query: native('query', [...HTTP_PARAMETERS, '**kwargs'], (rt, ...args) => {
      const given = new Map<string, Value>()
      HTTP_PARAMETERS.forEach((parameter, i) => {
        const value = args[i]
        if (value !== undefined) given.set(parameter.replace('?', ''), value)
      })
      return httpQuery(machine, rt.opts, given)
    }),
  }
}
