// Logins that failed.
import { loginBeacon } from './beacon/records.ts'

export default loginBeacon({ name: 'btmp', doc: 'Report failed logins.' })
