// Who runs this program.
import { userInfo } from 'node:os'

/** Who this process runs as: the name, or the number of a user that the system has no name for, as in some containers. */
export function ownUser(): string {
  try {
    return userInfo().username
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
    return String(process.geteuid?.() ?? '')
  }
}
