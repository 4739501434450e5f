// Finds the file and line of a state of a minion: the SLS file by its name, and in it the line of the ID. Template
// expressions in an ID match any text.
import { str, type Value } from '../data/mod.ts'
import type { MasterContext } from './master.ts'

const TEMPLATED = /\{\{.*?\}\}/g

/** Ids above this length get no line: matching them against many templates would take too long. */
const LONGEST_ID = 1000

/** Return whether a line declares an ID. */
function declares(line: string, id: string): boolean {
  const name = /^(['"]?)([^\s#].*?)\1:\s*(?:#.*)?$/.exec(line)?.[2]
  if (name === undefined) return false
  if (name === id) return true
  if (!name.includes('{{')) return false
  const literal = name.split(TEMPLATED).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${literal.join('.*')}$`).test(id)
}

interface SlsFile {
  path: string
  lines: string[]
}

/** Places of states in the SLS files that the master serves. Each file is read once. */
export class StatePlaces {
  private readonly ctx: Pick<MasterContext, 'fileServer' | 'host'>
  private readonly files = new Map<string, Promise<SlsFile | undefined>>()

  constructor(ctx: Pick<MasterContext, 'fileServer' | 'host'>) {
    this.ctx = ctx
  }

  /**
   * Return `file:line` of a state, or only the file if no line declares the ID; undefined if the file does not exist.
   */
  async find(sls: Value, id: Value): Promise<string | undefined> {
    if (typeof sls !== 'string' || sls === '') return undefined
    let reading = this.files.get(sls)
    if (!reading) {
      reading = this.read(sls)
      this.files.set(sls, reading)
    }
    const file = await reading
    const name = str(id)
    if (!file || name.length > LONGEST_ID) return file?.path
    const at = file.lines.findIndex((line) => declares(line, name))
    return at < 0 ? file.path : `${file.path}:${at + 1}`
  }

  private async read(sls: string): Promise<SlsFile | undefined> {
    const base = sls.replaceAll('.', '/')
    for (const name of [`${base}.sls`, `${base}/init.sls`]) {
      const path = (await this.ctx.fileServer.find(name, 'base'))?.path
      if (path === undefined) continue
      const text = Buffer.from(await this.ctx.host.read(path)).toString()
      return { path, lines: text.split('\n') }
    }
    return undefined
  }
}
