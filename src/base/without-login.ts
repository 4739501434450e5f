/** Return an address without its user and password, as logs and answers may show it; the user of an SSH address stays. */
export function withoutLogin(url: string): string {
  return url.replace(/(?<=^|\s)([A-Za-z][\w+.-]*:\/\/)[^/?#]*@/, (whole, scheme: string) =>
    /^(ssh|sftp|git\+ssh|ssh\+git):/i.test(scheme) && !whole.slice(scheme.length).includes(':') ? whole : scheme,
  )
}
