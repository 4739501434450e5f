// Paths inside each other.
/** Whether a path is a folder or below it; both are absolute, and the folder has no trailing slash. */
export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
