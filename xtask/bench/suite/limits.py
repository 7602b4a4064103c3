def limits(*a):
    return {}
