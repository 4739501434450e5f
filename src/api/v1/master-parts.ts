// Facts that only the running master has, such as the next run of a scheduled job. The API requests them as the owner
// of the master; the route checks the rights of its caller first.
import { localKey } from '../../client/mod.ts'
import { type Dict, isDict, isList, type Value } from '../../data/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'

/** Return the master's answer to a command of its owner: a list of dicts. */
export async function askOwnMaster({ master }: ApiService, cmd: string): Promise<Dict[]> {
  const { user, key } = localKey(master.access.opts)
  const load: Array<[Value, Value]> = [
    ['cmd', cmd],
    ['user', user],
    ['key', key],
  ]
  const found = await master.command(new Map(load), { address: '' })
  if (!isList(found)) throw new HttpError(503, 'The master did not answer')
  return found.filter(isDict)
}
