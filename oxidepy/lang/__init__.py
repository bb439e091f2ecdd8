"""What a kernel author imports: scalar types, slices, scopes, decorators, functions; and what a decorated kernel is (`definition`)."""
