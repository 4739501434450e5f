// Events about the life of a machine: `salt/cloud/<name>/<what>`, with Salt's texts.
import type { Log } from '../base/mod.ts'
import { BrineError } from '../base/mod.ts'
import { type Dict, isDict, isList, maskMarked, str, type Value } from '../data/mod.ts'

/** The text under `event`, by the last word of the tag. */
const TEXTS: Readonly<Record<string, string>> = {
  creating: 'starting create',
  requesting: 'requesting instance',
  querying: 'querying instance',
  tagging: 'setting tags',
  waiting_for_spot: 'waiting for spot instance',
  waiting_for_ssh: 'waiting for ssh',
  attaching_volumes: 'attaching volumes',
  attaching: 'attaching volume',
  deploying: 'deploying salt-minion',
  created: 'created instance',
  starting: 'starting instance',
  stopping: 'stopping instance',
  destroying: 'destroying instance',
  destroyed: 'destroyed instance',
}

/** Names of settings that never leave in events. */
const SECRET = /pass(word|wd|phrase)?$|secret|token|^key$|private_?key$|^priv_key$|api_?key|^user_?data$/i

/** Return a value without the values of secret settings. */
export function withoutSecrets(value: Value): Value {
  if (isList(value)) return value.map(withoutSecrets)
  if (!isDict(value)) return value
  return new Map([...value].filter(([key]) => !SECRET.test(str(key))).map(([key, item]) => [key, withoutSecrets(item)]))
}

export type Fire = (tag: string, data: Dict) => Promise<void>

export type CloudReporter = (name: string, event: string, data?: Dict, text?: string) => Promise<void>

/** Return a function that fires events of machines. As in Salt, a missing bus is no error. */
export function reporter(fire: Fire, log: Log): CloudReporter {
  let isTold = false
  return async (name, event, data = new Map(), text = TEXTS[event] ?? event.replaceAll('_', ' ')) => {
    const tag = `salt/cloud/${name}/${event}`
    const all: Dict = new Map<Value, Value>([['name', name], ['event', text], ...(withoutSecrets(data) as Dict)])
    log('info', `${tag}: ${text}`)
    try {
      await fire(tag, maskMarked(all) as Dict)
    } catch (error) {
      if (!(error instanceof BrineError) || error.code !== 'BusUnreachable') throw error
      log(isTold ? 'debug' : 'warning', `No master hears of ${tag}: ${error.message}`)
      isTold = true
    }
  }
}
