// The REST API: Salt's interface over HTTP, inside the master or in `salt-api` beside it.
export { Api } from './api.ts'
export { ownMaster } from './own-master.ts'
export { OwnNetapis } from './own-netapis.ts'
export { socketMaster } from './socket-master.ts'
