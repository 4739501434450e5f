// A minion's record of its masters' publications: the last serial number of each publish key, so that a publication
// runs only once even across a restart, and whether a master signs as Salt does. There is one small file for each
// minion id and master key; several masters may share a key, so a file can hold several publish keys.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, storageError, toError } from '../../base/mod.ts'
import { type RsaPublicKey, readIfThere, writeKeyFile } from '../crypto/mod.ts'
import { wholeNumber } from '../offer.ts'
import type { MinionSettings } from './settings.ts'

/** Publish keys that a file holds, the newest last. */
const MOST_KEYS = 16

interface Kept {
  /** This master has signed a publication. */
  signs: boolean
  /** The last serial number by the id of the publish key. */
  serials: Map<string, number>
}

export class PublicationRecord {
  private readonly directory: string | undefined
  private readonly id: string
  private readonly log: Log
  private readonly known = new Map<string, Kept>()
  /** Whether the last number could not be kept: the log says so once. */
  private isFailing = false

  /** Without a cache directory everything is kept in memory only. */
  constructor({ cachedir, id }: Pick<MinionSettings, 'cachedir' | 'id'>, log: Log) {
    this.id = id
    this.directory = cachedir && join(cachedir, 'publications')
    this.log = log
  }

  lastSerial(master: RsaPublicKey, keyId: string): number {
    return this.read(master).serials.get(keyId) ?? 0
  }

  /** Whether this master was seen to sign its publications. */
  signs(master: RsaPublicKey): boolean {
    return this.read(master).signs
  }

  /** Keep that a publication was taken; called before it is carried out. */
  note(master: RsaPublicKey, keyId: string, serial: number, isSigned: boolean): void {
    const kept = this.read(master)
    kept.signs ||= isSigned
    kept.serials.delete(keyId)
    kept.serials.set(keyId, serial)
    for (const [oldest] of kept.serials) if (kept.serials.size > MOST_KEYS) kept.serials.delete(oldest)
    this.known.set(this.nameOf(master), kept)
    if (this.directory === undefined) return
    try {
      mkdirSync(this.directory, { recursive: true, mode: 0o700 })
      const text = JSON.stringify({ signs: kept.signs, serials: [...kept.serials] })
      writeKeyFile(this.file(master)!, text, 0o600)
      this.isFailing = false
    } catch (error) {
      if (this.isFailing) return
      this.isFailing = true
      const why = toError(storageError(error, this.directory)).message
      this.log('error', `Cannot keep the serial number of a publication, so a restart forgets it: ${why}`)
    }
  }

  private nameOf(master: RsaPublicKey): string {
    return createHash('sha256').update(`${this.id}\n${master.pem}`).digest('hex').slice(0, 32)
  }

  private file(master: RsaPublicKey): string | undefined {
    return this.directory && join(this.directory, `${this.nameOf(master)}.json`)
  }

  /** The file is read each time: the channel to another master with the same key may have written it. */
  private read(master: RsaPublicKey): Kept {
    const own = this.known.get(this.nameOf(master)) ?? { signs: false, serials: new Map() }
    const stored = this.stored(master)
    if (stored === undefined) return own
    for (const [id, serial] of own.serials) stored.serials.set(id, Math.max(serial, stored.serials.get(id) ?? 0))
    return { signs: stored.signs || own.signs, serials: stored.serials }
  }

  private stored(master: RsaPublicKey): Kept | undefined {
    const file = this.file(master)
    if (file === undefined) return undefined
    try {
      const text = readIfThere(file)
      return text === undefined ? undefined : parse(text)
    } catch (error) {
      this.log('warning', `Cannot read ${file}, which is begun anew: ${toError(error).message}`)
      return undefined
    }
  }
}

function parse(text: string): Kept {
  const { signs, serials } = JSON.parse(text) as { signs?: unknown; serials?: Iterable<[unknown, unknown]> }
  const entries = [...(serials ?? [])].map(([id, serial]) => [String(id), wholeNumber(serial as number)] as const)
  return { signs: signs === true, serials: new Map(entries) }
}
