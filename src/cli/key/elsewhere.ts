// Key operations by the master, for users of external authentication with rights to wheel functions.
import type { Log } from '../../base/mod.ts'
import { LocalClient } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { credentials } from '../salt/credentials.ts'
import type { Streams } from '../streams.ts'
import type { KeyCalls } from './calls.ts'

/** Return the operations by wheel functions on the master, as the user in the options. */
export async function callsElsewhere(opts: Dict, log: Log, streams: Streams): Promise<KeyCalls> {
  const client = await LocalClient.open(opts, log)
  const command = (load: Dict): Promise<Value> => client.command(load)
  const proof = await shown(opts, streams, command).catch((error) => {
    client.close()
    throw error
  })
  const call = async (name: string, ...args: Value[]): Promise<Value> => {
    const load = new Map<Value, Value>([['cmd', 'wheel']]).set('fun', `key.${name}`).set('arg', args)
    return returned(await command(new Map<Value, Value>([...load.set('kwarg', new Map()), ...proof])))
  }
  const given = (...names: string[]): Value[] => names.map((name) => opts.get(name) ?? null)
  return {
    call,
    // rights are given to these functions, not to those that take ids by state
    accept: (wanted, rejected, denied) => call('accept', idsOf(wanted), rejected, denied),
    reject: (wanted, accepted, denied) => call('reject', idsOf(wanted), accepted, denied),
    delete: (wanted) => call('delete', idsOf(wanted)),
    fingerAll: () => call('finger', '*'),
    genKeys: () => call('gen_keys', ...given('gen_keys_dir', 'gen_keys', 'keysize', 'user')),
    close: () => client.close(),
  }
}

/** Return a saved token, unless a user is named. */
async function shown(opts: Dict, streams: Streams, command: (load: Dict) => Promise<Value>): Promise<Dict> {
  const token = textOf(opts.get('token') ?? null)
  if (token && !truthy(option(opts, 'username'))) return new Map([['token', token]])
  return credentials(opts, streams, command)
}

const idsOf = (wanted: Dict): Value[] => [...wanted.values()].flatMap((ids) => (isList(ids) ? [...ids] : [ids]))

/** Return the function's result; throw for a refusal or a failure. */
function returned(answer: Value): Value {
  const fields: Dict = isDict(answer) ? answer : new Map()
  const [refusal, data] = [fields.get('error'), fields.get('data')]
  if (refusal !== undefined && isDict(refusal)) {
    throw new ProgramExit(2, { stdout: `${str(refusal.get('message') ?? '')}\n` })
  }
  if (data === undefined || !isDict(data)) throw new ProgramExit(2, { stdout: `The master answered ${str(answer)}\n` })
  const value = data.get('return') ?? null
  if (data.get('success') !== true) throw new ProgramExit(1, { stdout: `${str(value)}\n` })
  return value
}
