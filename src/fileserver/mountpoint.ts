// The path that all files of a remote are served below.
import type { FolderEntry } from './backend.ts'

/** Return the path below the mountpoint; undefined if it is outside. */
export function insideMount(mountpoint: string, path: string): string | undefined {
  if (mountpoint === '') return path === '/' ? '' : path
  return path.startsWith(`${mountpoint}/`) ? path.slice(mountpoint.length).replace(/^\/+/, '') : undefined
}

/** Return the only entry of a folder above the mountpoint; undefined for the mountpoint itself and all other folders. */
export function stepToMount(mountpoint: string, path: string): FolderEntry | undefined {
  const start = path === '' ? '' : `${path}/`
  if (mountpoint === '' || mountpoint === path || !`${mountpoint}/`.startsWith(start)) return undefined
  const [name = ''] = mountpoint.slice(start.length).split('/')
  return { name, path: `${start}${name}`, kind: 'folder', size: null }
}
