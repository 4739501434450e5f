// Objects of Kubernetes clusters: Salt's `kubernetes` states and those of saltext-kubernetes. A dry run uses that of
// the API server.
import { defineState } from '../../../sdk/mod.ts'
import { KINDS } from './kinds.ts'
import { kindStates } from './state/kind-states.ts'
import { manifestStates } from './state/manifest-states.ts'
import { nodeStates } from './state/node-states.ts'

export default defineState({
  name: 'kubernetes',
  doc: 'Objects of Kubernetes clusters. With `test=True` the API server itself checks what would change.',
  functions: { ...Object.assign({}, ...KINDS.map(kindStates)), ...nodeStates, ...manifestStates },
})
