// The user of this process, and the file that proves the user to a master on the same machine.
import { userInfo } from 'node:os'

/** Return the name of the user of this process, or the uid if the system has no name for it, as in some containers. */
export function ownUser(): string {
  try {
    return userInfo().username
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
    return String(process.geteuid?.() ?? '')
  }
}

/**
 * Return the file with the key of a local user, which only that user can read. The master's own key is that of the user it runs as,
 * the option `user`; an empty option means the user of this process.
 */
export function localKeyFile(cachedir: string, user: string): string {
  return `${cachedir}/.${user || ownUser()}_key`
}
