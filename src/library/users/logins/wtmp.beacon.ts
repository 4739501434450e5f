// Logins and logouts. A logout names no user; the login on the same line does.
import { str } from '../../../data/mod.ts'
import { loginBeacon } from './beacon/records.ts'

const LOGIN = 7
const LOGOUT = 8

export default loginBeacon({
  name: 'wtmp',
  doc: 'Report logins and logouts.',
  judge: (event, { memory }) => {
    const line = `tty ${str(event.get('line')!)}`
    if (event.get('type') === LOGIN) {
      event.set('action', 'login')
      memory.set(line, event.get('user')!)
    } else if (event.get('type') === LOGOUT) {
      event.set('action', 'logout')
      const user = memory.get(line)
      if (typeof user === 'string') event.set('user', user)
      memory.delete(line)
    }
  },
})
