/** The release of Salt that users and peers see: the one whose behaviour this is. */
export const SALT_VERSION = '3008.2'
