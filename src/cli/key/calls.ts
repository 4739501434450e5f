// The operations of salt-key: on key files in this process, or by the master.

import type { Dict, Value } from '../../data/mod.ts'
import { masterContext, type SocketAccess } from '../../runner/mod.ts'

export interface KeyCalls {
  /** A function of the wheel about keys. */
  call(name: string, ...args: Value[]): Promise<Value>
  /** Ids by state, as shown before. */
  accept(wanted: Dict, rejected: boolean, denied: boolean): Promise<Value>
  reject(wanted: Dict, accepted: boolean, denied: boolean): Promise<Value>
  delete(wanted: Dict): Promise<Value>
  fingerAll(): Promise<Value>
  genKeys(): Promise<Value>
  close(): void
}

export function callsHere(access: SocketAccess): KeyCalls {
  const ctx = masterContext(access, { jid: '', user: '', tag: 'salt/wheel' })
  const call: KeyCalls['call'] = (name, ...args) => ctx.wheel(`key.${name}`, args)
  return {
    call,
    accept: (wanted, rejected, denied) => call('accept_dict', wanted, rejected, denied),
    reject: (wanted, accepted, denied) => call('reject_dict', wanted, accepted, denied),
    delete: (wanted) => call('delete_dict', wanted),
    fingerAll: () => call('finger_all'),
    genKeys: () => call('gen_keys'),
    close: () => access.close(),
  }
}
