// The files of an environment as a simulated minion fetches them: the list, the manifest and the packs of a real minion, by its code
// (src/fileserver). Contents are verified and dropped; the minion remembers their hashes in place of a cache.
import { createHash } from 'node:crypto'
import { type Dict, dictFrom, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import {
  type ExpectedFile,
  type FileSum,
  Manifests,
  type MasterFiles,
  Packs,
  packIn,
  packRequest,
} from '../fileserver/mod.ts'

/** The files that a run fetched. */
export interface FetchedFiles {
  files: number
  bytes: number
}

export class TreeCopy {
  private readonly master: MasterFiles
  private readonly manifests: Manifests
  private readonly packs: Packs
  /** Hashes of the contents that the minion has. */
  private readonly held = new Set<string>()

  constructor(master: MasterFiles) {
    this.master = master
    // requests that fail reject: the caller counts them
    this.manifests = new Manifests(async (saltenv, known) =>
      master.isBrine ? master.ask(dictFrom({ cmd: '_file_manifest', saltenv, known }), { raw: true }) : null,
    )
    this.packs = new Packs({
      ask: async (saltenv, wanted) =>
        master.isBrine ? packIn(await master.ask(packRequest(saltenv, wanted), { raw: true })) : undefined,
      listed: (path, saltenv) => this.manifests.lastSum(path, saltenv),
      lacks: async (_file, { hsum }) => !this.held.has(hsum),
    })
  }

  /** Fetch every file of an environment that the minion lacks, as a run of states that needs all of them. */
  async update(saltenv: string): Promise<FetchedFiles> {
    const listed = await this.master.ask(dictFrom({ cmd: '_file_list', saltenv, prefix: '' }))
    const expected = (isList(listed) ? listed : []).map((path) => ({ path: str(path), saltenv }))
    const fetched = { files: 0, bytes: 0 }
    const endings = [this.manifests.begin(), this.packs.expect(expected)]
    try {
      for (const file of expected) {
        const bytes = await this.fetch(file)
        if (bytes === undefined) continue
        fetched.files++
        fetched.bytes += bytes
      }
    } finally {
      for (const end of endings) end()
    }
    return fetched
  }

  /** Fetch a file and return its size; undefined if the minion already has it, or the master lacks it. */
  private async fetch(file: ExpectedFile): Promise<number | undefined> {
    const sum = (await this.manifests.sum(file.path, file.saltenv)) ?? (await this.askHash(file))
    if (sum === undefined || this.held.has(sum.hsum)) return undefined
    const content = await this.packs.content(file, sum)
    const bytes = content ? content.length : await this.serve(file, sum)
    this.held.add(sum.hsum)
    return bytes
  }

  private async askHash({ path, saltenv }: ExpectedFile): Promise<FileSum | undefined> {
    const answer = await this.master.ask(dictFrom({ cmd: '_file_hash', path, saltenv }))
    const hsum = isDict(answer) ? textOf(answer.get('hsum') ?? null) : undefined
    return hsum === undefined ? undefined : { hsum, hash_type: str((answer as Dict).get('hash_type') ?? 'sha256') }
  }

  /** Fetch one file piece by piece. */
  private async serve({ path, saltenv }: ExpectedFile, { hash_type, hsum }: FileSum): Promise<number> {
    const hash = createHash(hash_type)
    for (let loc = 0; ; ) {
      const answer = await this.master.ask(dictFrom({ cmd: '_serve_file', path, saltenv, loc }), { raw: true })
      const piece: Value = isDict(answer) ? (answer.get('data') ?? '') : ''
      const length = piece instanceof Uint8Array ? piece.length : 0
      if (length > 0) hash.update(piece as Uint8Array)
      loc += length
      if (length > 0 && hash.copy().digest('hex') !== hsum) continue
      if (hash.digest('hex') !== hsum) throw new Error(`salt://${path} came with another content than its hash says`)
      return loc
    }
  }
}
