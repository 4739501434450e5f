// Paths inside each other.
/** Whether a path is a folder or lies below it; both are absolute, and the folder has no slash at its end. */
export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
