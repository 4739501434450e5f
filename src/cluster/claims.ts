// Records that one master at most makes, such as the claim of a request of the REST API. They are in the shared state
// alone: a master reads them from the servers, and keeps no copies.
import type { Dict } from '../data/mod.ts'
import { NoQuorumError } from './cluster-log.ts'
import type { ClusterState } from './state.ts'

/** Milliseconds of an attempt, whose server may be behind, and between two. */
const PATIENCE_MS = 2000
const RETRY_MS = 50

export class Claims {
  private readonly values: () => ClusterState | undefined

  constructor(values: () => ClusterState | undefined) {
    this.values = values
  }

  /** Make a record if the cluster has none under the key; otherwise return the one that is there. */
  async claim(key: string, record: Dict): Promise<Dict | undefined> {
    const { state } = this
    for (const end = performance.now() + PATIENCE_MS; ; await new Promise((done) => setTimeout(done, RETRY_MS))) {
      const known = await state.fetch('answer', key)
      if (known?.value) return known.value
      try {
        await state.put('answer', key, record, known?.revision ?? 0)
        return undefined
      } catch (error) {
        // the server that was read may be behind
        if ((error as { code?: string }).code !== 'ClusterConflict' || performance.now() > end) throw error
      }
    }
  }

  /** Replace a record that this master made. */
  async store(key: string, record: Dict): Promise<void> {
    await this.state.put('answer', key, record)
  }

  async remove(key: string): Promise<void> {
    const { state } = this
    const known = await state.fetch('answer', key)
    if (known) await state.purge('answer', key, known.revision)
  }

  private get state(): ClusterState {
    const state = this.values()
    if (!state) throw new NoQuorumError('This master has not joined the others of the cluster')
    return state
  }
}
