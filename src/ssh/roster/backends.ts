// All rosters by name: those of Salt, and modules of users, which may take the place of one of Salt's.
import { lookup } from '../../base/mod.ts'
import type { Backend, RosterRequest } from './backend.ts'
import { dir, flat } from './flat.ts'

export const BACKENDS: Readonly<Record<string, Backend>> = lookup({ dir, flat })

export async function ownBackend(_name: string, _request: RosterRequest): Promise<Backend | undefined> {
  return undefined
}
