/** The form in which a link shows a table or view. */
export type LinkFormat = 'csv' | 'html' | 'ics' | 'json'

export const linkFormats: readonly LinkFormat[] = ['csv', 'html', 'ics', 'json']
