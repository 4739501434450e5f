// Logins that failed.
import { loginBeacon } from './logins/records.ts'

export default loginBeacon({ name: 'btmp', doc: 'Tells of logins that failed.' })
