// Logins that failed.
import { loginBeacon } from './beacon/records.ts'

export default loginBeacon({ name: 'btmp', doc: 'Tells of logins that failed.' })
