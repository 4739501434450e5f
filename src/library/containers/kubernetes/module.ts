// Kubernetes clusters through their API servers: Salt's `kubernetes` module and the functions of saltext-kubernetes.
import { defineModule } from '../../../sdk/mod.ts'
import { KINDS } from './kinds.ts'
import { clusterFunctions } from './module/cluster-functions.ts'
import { kindFunctions } from './module/kind-functions.ts'
import { manifestFunctions } from './module/manifest-functions.ts'
import { nodeFunctions } from './module/node-functions.ts'
import { podFunctions } from './module/pod-functions.ts'

export default defineModule({
  name: 'kubernetes',
  doc: 'Manage Kubernetes clusters through their API servers.',
  functions: {
    ...clusterFunctions,
    ...nodeFunctions,
    ...podFunctions,
    ...Object.assign({}, ...KINDS.map(kindFunctions)),
    ...manifestFunctions,
  },
})
