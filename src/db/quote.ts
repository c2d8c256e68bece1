/** An identifier in a statement. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text in a statement, whatever the server takes a backslash for. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
