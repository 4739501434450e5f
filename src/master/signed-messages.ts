// Signatures of minions on their messages (`minion_sign_messages`): whether one is required, and whether it is valid.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import type { PkiKeys } from '../store/mod.ts'
import { RsaPublicKey, signedPart } from '../wire/mod.ts'

interface SigningParts {
  opts: Dict
  log: Log
  keys: PkiKeys
}

function isRight({ opts, keys }: SigningParts, id: string, load: Dict): boolean {
  const pem = keys.accepted(id)
  const signature = load.get('sig')
  if (pem === undefined || !(signature instanceof Uint8Array)) return false
  const algorithm = option(opts, 'signing_algorithm')
  return new RsaPublicKey(pem).verify(signedPart(load), signature, algorithm)
}

/** Whether a message is taken. */
export function isTaken(parts: SigningParts, method: string, load: Dict): boolean {
  const { opts, log } = parts
  const id = str(load.get('id') ?? '')
  if (!load.has('sig')) {
    if (!option(opts, 'require_minion_sign_messages')) return true
    const rule = 'Master is requiring minions to sign their messages, but there is no signature in this payload from'
    log('critical', `${method}: ${rule} ${id}.`)
    return false
  }
  if (isRight(parts, id, load)) return true
  log('info', `Failed to verify event signature from minion ${id}.`)
  if (option(opts, 'drop_messages_signature_fail')) {
    log('critical', `drop_messages_signature_fail is enabled, dropping message from ${id}`)
    return false
  }
  log('info', "But 'drop_message_signature_fail' is disabled, so message is still accepted.")
  return true
}
